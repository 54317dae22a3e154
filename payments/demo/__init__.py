"""A seller for the demo: a Django site of its own, with other settings, no database and none of the platform's apps.

    SELLER_NETWORK=… SELLER_ASSET=… SELLER_PAY_TO=… SELLER_FACILITATOR=… \\
        DJANGO_SETTINGS_MODULE=payments.demo.settings python -m daphne -p 8001 payments.demo.asgi:application

It shows that the decorator of `payments.seller` is all that another site needs.
"""
