from course import PlanningSupervisor, Worker, run_sync, tool


@tool
def revenue(company: str, year: int) -> str:
    """Look up a company's revenue in a year, in million euros."""
    return f"{company} had a revenue of {len(company) * year % 997} million euros in {year}."


finance = Worker(name="finance", description="revenues of companies", tools=(revenue,))
boss = PlanningSupervisor(name="analyst", workers=(finance,))
result = run_sync(boss, "Find the revenue of Acme in 2023. Find the revenue of Globex in 2023.")
print(*result.plan.tasks, result.answer, sep="\n")
