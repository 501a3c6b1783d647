// Stands in for the login element until it is built: see clients/widget.
