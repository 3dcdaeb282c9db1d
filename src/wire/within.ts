/** Waits for something, and not for ever: for so many milliseconds at most. */
export async function within(milliseconds: number, done: Promise<void>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  await Promise.race([done, late]);
  clearTimeout(timer);
}
