from course import Agent, run_sync, tool


@tool
def order_status(number: str) -> str:
    """Look up where an order is."""
    return {"A-17": "on its way, due on Friday"}.get(number, "not known")


clerk = Agent(name="clerk", instructions="You help customers.", tools=(order_status,))
result = run_sync(clerk, "Where is my order A-17?")
print(result.answer, result.usage)
