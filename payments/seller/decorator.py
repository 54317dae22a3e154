"""The decorator: `@seller.paid(offer)` in front of a view, sync or async, as its innermost wrapper."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from asgiref.sync import iscoroutinefunction, sync_to_async
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from payments.seller import answers
from payments.seller.claims import Claims
from payments.seller.facilitators import Facilitator
from payments.seller.offers import Offer
from payments.seller.selling import Ready, Selling

View = Callable[..., Any]


class Seller:
    """Who sells. `base_url` is where others reach the site when a proxy stands in front, such as
    `https://weather.example`; `cache` is the alias of the cache that claims live in; `allow_origin` of whose pages may
    read the answers (None leaves CORS to the site).
    """

    def __init__(
        self,
        facilitator: Facilitator,
        *,
        base_url: str | None = None,
        cache: str = "default",
        allow_origin: str | None = "*",
    ) -> None:
        self.facilitator = facilitator
        self.base_url = None if base_url is None else base_url.rstrip("/")
        self.claims = Claims(cache)
        self.allow_origin = allow_origin

    def paid(self, offer: Offer) -> Callable[[View], View]:
        """Have a view paid for: it runs for a payment that was verified, and its answer leaves when that is settled."""

        def wrap(view: View) -> View:
            return self._async(view, offer) if iscoroutinefunction(view) else self._sync(view, offer)

        return wrap

    def _sync(self, view: View, offer: Offer) -> View:
        @wraps(view)
        def sold(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            if request.method == "OPTIONS":
                return self._shared(answers.preflight())
            selling = self._selling(request, offer)
            found = selling.before()
            if not isinstance(found, Ready):
                return self._shared(found)
            try:
                response = view(request, *args, **kwargs)
            except BaseException:
                selling.failed(found)
                raise
            return self._shared(selling.after(found, response))

        return sold

    def _async(self, view: View, offer: Offer) -> View:
        @wraps(view)
        async def sold(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            if request.method == "OPTIONS":
                return self._shared(answers.preflight())
            selling = self._selling(request, offer)
            found = await sync_to_async(selling.before, thread_sensitive=False)()
            if not isinstance(found, Ready):
                return self._shared(found)
            try:
                response = await view(request, *args, **kwargs)
            except BaseException:
                await sync_to_async(selling.failed, thread_sensitive=False)(found)
                raise
            return self._shared(await sync_to_async(selling.after, thread_sensitive=False)(found, response))

        return sold

    def _selling(self, request: HttpRequest, offer: Offer) -> Selling:
        return Selling(request, self._url(request), offer, self.facilitator, self.claims)

    def _url(self, request: HttpRequest) -> str:
        path = request.get_full_path()
        return request.build_absolute_uri(path) if self.base_url is None else self.base_url + path

    def _shared(self, response: HttpResponseBase) -> HttpResponseBase:
        return answers.shared_with(response, self.allow_origin) if isinstance(response, HttpResponse) else response
