"""The Django project: it assembles the apps at the top and holds the floor (`lensproject.core`) that all of them stand
on.
"""
