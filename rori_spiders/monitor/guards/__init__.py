"""What a request passes before anything answers it: who asks, from where, may they?"""
