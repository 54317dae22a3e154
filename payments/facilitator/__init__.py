"""The narrow facilitator: verifies signed payments, and settles them from accounts of ours (design: facilitator).

`settling.settle` is the flow. The others are what it needs: `situation` what we accept, `claims` one row a payment,
`accounts` and `keys` what transactions leave from, `attempts` one row a transaction, `sending` what a node answers,
`resuming` what a killed process left.
"""
