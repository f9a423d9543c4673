"""The customer's side: jobs on spot markets."""
