"""The words of the API: requests, answers, frames and problems, for both ends of the wire."""
