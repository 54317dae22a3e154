"""The form of the desk's front door."""

from __future__ import annotations

from django.contrib.admin.forms import AdminAuthenticationForm

LONGEST_NAME = 150
"""As Django's users have it."""


class SignIn(AdminAuthenticationForm):
    """Refuses a name that nobody can have before it is looked up and counted: the table of failed sign-ins has less
    room than a form.
    """

    def clean_username(self) -> str:
        name: str = self.cleaned_data["username"]
        if len(name) > LONGEST_NAME:
            raise self.get_invalid_login_error()
        return name
