"""The weather of the demo: made up from the city's name, the same each time."""

from __future__ import annotations

from hashlib import sha256
from typing import TypedDict

SKIES = ("clear", "cloudy", "rain", "snow")


class Forecast(TypedDict):
    city: str
    temperatureCelsius: float
    windMetresPerSecond: float
    sky: str


def forecast(city: str) -> Forecast:
    """`snow` only where it freezes."""
    seed = sha256(city.casefold().encode()).digest()
    celsius = round(-10 + seed[0] / 255 * 40, 1)
    sky = "snow" if celsius < 0 and seed[2] % 2 else SKIES[seed[2] % 3]
    return {"city": city, "temperatureCelsius": celsius, "windMetresPerSecond": round(seed[1] / 17, 1), "sky": sky}
