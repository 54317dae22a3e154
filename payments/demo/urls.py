"""What the demo seller serves."""

from __future__ import annotations

from django.urls import path

from payments.demo.views import home, weather

urlpatterns = [
    path("", home, name="home"),
    path("weather/<str:city>", weather, name="weather"),
]
