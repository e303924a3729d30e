"""The filter languages of other event services, read into and written from our constraint tree."""
