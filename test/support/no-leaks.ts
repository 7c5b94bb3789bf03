import { afterAll } from 'vitest';

afterAll(() => undefined);
