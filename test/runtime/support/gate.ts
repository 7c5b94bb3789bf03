/** A place where a run waits until a test lets it go on. */
export interface Gate {
  /** Called by the run: resolves when the gate is opened. */
  pass(): Promise<void>;
  /** Resolves when a run has come to the gate. */
  reached: Promise<void>;
  open(): void;
}

export function createGate(): Gate {
  let arrive: () => void = () => undefined;
  let open: () => void = () => undefined;
  const reached = new Promise<void>((resolve) => (arrive = resolve));
  const opened = new Promise<void>((resolve) => (open = resolve));
  return {
    reached,
    open: () => {
      open();
    },
    pass() {
      arrive();
      return opened;
    },
  };
}
