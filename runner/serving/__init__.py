"""Processes and sockets: how an application listens, in one process or in several."""
