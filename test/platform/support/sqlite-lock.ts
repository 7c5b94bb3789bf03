import Database from 'libsql';
import { setTimeout as delay } from 'node:timers/promises';

/** A process of its own that locks a database file: `sqlite-lock.ts FILE MILLISECONDS`. Says `locked`, then `unlocking`. */
const [file = '', ms = '0'] = process.argv.slice(2);
const db = new Database(file, { timeout: 10_000 });
db.exec('BEGIN EXCLUSIVE');
console.log('locked');
await delay(Number(ms));
console.log('unlocking');
db.exec('COMMIT');
db.close();
