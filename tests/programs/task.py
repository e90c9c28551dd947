from typing import Literal

from pydantic import BaseModel

from course import Task, run_sync


class Order(BaseModel):
    drink: str
    size: Literal["small", "large"]


async def person(said: str) -> str:
    print("asked:", said)
    return "A large lemonade, please."


task = Task[Order](instructions="Take the order for one drink.")
print(run_sync(task, person=person).result)
