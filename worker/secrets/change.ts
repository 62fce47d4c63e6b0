/** Keys that change while a self-hosted gateway runs: the program that runs it hands them over. */
import * as z from 'zod';
import type { Bindings } from '../context.ts';
import { changeKeys } from '../settings.ts';

/** File of the binding OWN, which lies there only while it is read. */
const FILE = 'keys.json';

/** @throws Error when they are not there or cannot be used; then nothing has changed */
export async function takeKeys(env: Bindings): Promise<void> {
  const reply = await env.OWN?.fetch(`http://own/${FILE}`);
  if (!reply?.ok) throw new Error('No keys were handed over');
  changeKeys(env, z.record(z.string(), z.string()).parse(await reply.json()));
}
