/** Drivers of the kinds that this relay serves: a new kind is a row here. */
import type { Driver } from './driver.ts';
import { mysql } from './mysql/index.ts';
import { postgres } from './postgres/index.ts';

export const drivers = { mysql, postgres } satisfies Record<string, Driver>;
