/**
 * Rings at most once in `everyMs` milliseconds for each topic: at once, and what comes meanwhile once together at the end, with the note if that
 * was always the same, else an empty one. No ring is lost.
 */
export function sparingRing(
  ring: (topic: string, note: string) => void,
  everyMs: number,
): (topic: string, note: string) => void {
  const silences = new Map<string, { note?: string }>();

  function rest(topic: string): void {
    const silence: { note?: string } = {};
    silences.set(topic, silence);
    setTimeout(() => {
      silences.delete(topic);
      if (silence.note === undefined) return;
      ring(topic, silence.note);
      rest(topic);
    }, everyMs).unref();
  }

  return (topic, note) => {
    const silence = silences.get(topic);
    if (silence === undefined) {
      ring(topic, note);
      rest(topic);
    } else {
      silence.note = silence.note === undefined || silence.note === note ? note : '';
    }
  };
}
