"""People who work on the desk, and their roles."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.models import Group, Permission, User
from django.http import HttpRequest

from lensproject.core.admin import BaseAdmin
from lensproject.core.admin.display import when
from lensproject.desk.roles import ROLES

POWERS = ("is_superuser", "groups", "user_permissions")


@admin.register(User)
class PersonAdmin(BaseAdmin[User], UserAdmin[User]):
    """A person is deactivated, not deleted: what they did keeps their name. Nobody gives powers they do not have."""

    list_display = ("username", "first_name", "last_name", "is_active", "is_staff", when("last_login", "last seen"))
    list_filter = ("is_active", "is_staff", "is_superuser")
    search_fields = ("username__istartswith", "email__exact")
    search_help_text = "The beginning of the user name, or the whole e-mail address."
    ordering = ("username",)
    filter_horizontal = ()
    empty_hint = "Nobody yet. `manage.py createsuperuser` makes the first person."

    def get_readonly_fields(self, request: HttpRequest, obj: User | None = None) -> Any:
        """Only a superuser hands out powers."""
        return (*super().get_readonly_fields(request, obj), *(() if request.user.is_superuser else POWERS))

    def has_change_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        """Whoever may change a superuser's password is one; so only a superuser may."""
        protected = obj is not None and obj.is_superuser and not request.user.is_superuser
        return super().has_change_permission(request, obj) and not protected

    def has_delete_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        return False


@admin.register(Group)
class RoleAdmin(BaseAdmin[Group]):
    """Roles that come ready belong to the platform and are only looked at; others may be made."""

    list_display = ("name", "whose")
    search_fields = ("name__istartswith",)
    search_help_text = "The beginning of the name."
    ordering = ("name",)

    def formfield_for_manytomany(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        """With the kinds of rows that permissions are about: the name of each has it."""
        kwargs.setdefault("queryset", Permission.objects.select_related("content_type"))
        return super().formfield_for_manytomany(db_field, request, **kwargs)

    @admin.display(description="made by")
    def whose(self, row: Group) -> str:
        return "the platform" if row.name in ROLES else "an operator"

    def has_add_permission(self, request: HttpRequest) -> bool:
        """A group is a bundle of powers, so it takes who has them all."""
        return request.user.is_superuser and super().has_add_permission(request)

    def has_change_permission(self, request: HttpRequest, obj: Group | None = None) -> bool:
        own = obj is None or obj.name not in ROLES
        return own and request.user.is_superuser and super().has_change_permission(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: Group | None = None) -> bool:
        return False
