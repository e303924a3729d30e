"""What people see on a terminal: lines, tables, trees, progress, explanations."""
