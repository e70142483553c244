"""Send alerts to people by e-mail, webhooks and Apprise: which are due through which channel (`delivery`), the
text (`email_message`), the sending (`channels`). A job and a dispatcher call `alert_dispatcher`.
"""
