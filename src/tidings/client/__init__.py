"""What a user program imports: publish, subscribe, pull, manage, through any transport."""
