"""The operator's desk: the admin site and the pages that span apps."""
