/** Ports of the gateway next to this relay, which it writes to a file when all of it listens. */
import { readFileSync } from 'node:fs';
import * as z from 'zod';

const OwnPortsReply = z.object({ ports: z.array(z.int().min(1).max(65_535)) });

/** What the file says now; undefined as long as they are unknown. Read at each call: a gateway may start again. */
export function portsIn(file: string): readonly number[] | undefined {
  try {
    return OwnPortsReply.parse(JSON.parse(readFileSync(file, 'utf8'))).ports;
  } catch {
    return undefined;
  }
}
