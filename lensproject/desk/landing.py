"""The page at `/`: what this is, and where people, programs and agents go on."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe


@require_safe
def landing(request: HttpRequest) -> HttpResponse:
    """Plain HTML that asks nothing of the database."""
    url = settings.LENS.public_url
    context = {
        "api_docs": reverse("api:openapi-view"),
        "openapi": reverse("openapi"),
        "mcp_url": f"{url}/mcp",
        "sse_url": f"{url}/sse" if settings.LENS.sse_enabled else None,
    }
    return render(request, "landing.html", context)
