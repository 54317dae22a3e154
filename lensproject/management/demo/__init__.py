"""`manage.py demo`, which is what `make run` starts: the platform with a small catalogue, until Ctrl-C.

`flow` has the order of events; each other module is one thing that it needs.
"""
