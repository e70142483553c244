"""What is read for a screen: functions of a connection, the catalogue and the time."""
