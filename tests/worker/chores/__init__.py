"""An app with jobs and tasks for the tests of the worker. Each leaves marks in a table that the test reads."""
