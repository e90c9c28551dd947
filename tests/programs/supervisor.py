from course import Agent, Supervisor, run_sync, tool


@tool
def unpaid_bill(name: str) -> str:
    """Look up what a patient still owes."""
    return f"{name} owes 120 euros."


billing = Agent(name="billing", description="bills, and what a patient owes", tools=(unpaid_bill,))
boss = Supervisor(name="boss", instructions="Delegate, then answer.", workers=(billing,))
print(run_sync(boss, "What does Katya Tanaka owe?").answer)
