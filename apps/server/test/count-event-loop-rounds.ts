/** Counts the rounds of the event loop while `work` runs. */
export async function countEventLoopRounds(work: () => Promise<unknown>): Promise<number> {
  let rounds = 0;
  let isOver = false;
  const next = () => {
    rounds += 1;
    if (!isOver) setImmediate(next);
  };
  setImmediate(next);
  await work();
  isOver = true;
  return rounds;
}
