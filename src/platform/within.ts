import { afterDeadline } from './deadline.ts';

/**
 * Settles as `work` does, or once `ms` milliseconds have passed as `late` does: with what it returns, or by what it throws. `work`
 * itself goes on then, and whatever becomes of it is nobody's concern any more.
 */
export async function within<T, L>(ms: number, work: Promise<T>, late: () => L): Promise<T | L> {
  let callOff: (() => void) | undefined;
  const time = new Promise<void>((resolve) => {
    callOff = afterDeadline(ms, resolve);
  });
  try {
    return await Promise.race([work, time.then(late)]);
  } finally {
    callOff?.();
  }
}
