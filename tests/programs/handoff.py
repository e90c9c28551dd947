from course import Agent, Handoff, run_sync, tool


@tool
def unpaid_bill(name: str) -> str:
    """Look up what a patient still owes."""
    return f"{name} owes 120 euros."


billing = Agent(name="billing", description="bills and payments", tools=(unpaid_bill,))
desk = Agent(name="desk", instructions="Hand over to billing.", handoffs=(Handoff(billing),))
result = run_sync(desk, "What does Katya Tanaka owe?")
print(result.agent, "says:", result.answer)
