"""What every request passes before an endpoint: access control, limits, response headers; and passwords, sign-in,
masking.
"""
