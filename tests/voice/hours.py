"""An agent that greets and knows when a clinic is open: who is called where calls are measured."""

from livekit.agents import Agent, function_tool


class Hours(Agent):
    def __init__(self, greeting: str = "Good morning, this is the clinic.") -> None:
        super().__init__(instructions="You are the front desk of a clinic.")
        self.greeting = greeting

    async def on_enter(self) -> None:
        await self.session.say(self.greeting)

    @function_tool
    async def opening_hours(self, day: str) -> str:
        """Look up the clinic's opening hours on a weekday.

        Args:
            day: the weekday
        """
        return (
            f"On {day} the clinic is open from eight to six. There is a lunch break from noon"
            " until one. The doctors are in all day."
        )
