import { once } from 'node:events';
import { createConnection } from 'node:net';
import type { NetConnectOpts } from 'node:net';

/** Whether something listens there. */
export async function accepts(where: NetConnectOpts): Promise<boolean> {
  const socket = createConnection(where);
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
