"""The loop that calls tools: what came back, how often to try, and effects that happen once."""
