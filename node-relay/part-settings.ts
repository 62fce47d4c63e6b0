/** How many parts a relay has, and how much memory each may hold. */
import { availableParallelism, totalmem } from 'node:os';
import { GatewayError } from '../proto/errors.ts';

const PARTS_MIN = 2;
const PARTS_MAX = 64;
const STAND_INS_DEFAULT = 2;
const STAND_INS_MAX = 8;
const MEMORY_MIN_MB = 256;
const MEMORY_MAX_MB = 2_048;
/** What a setting may ask for, in MB. */
const MEMORY_ASKED_MAX_MB = 1_048_576;
const DRAIN_DEFAULT_S = 30;
const DRAIN_MAX_S = 3_600;
const BYTES_PER_MB = 1024 * 1024;

/** Of `RELAY_PARTS`, `RELAY_PART_MEMORY_MB` and `RELAY_STAND_INS`. */
interface PartSettings {
  readonly parts: number;
  readonly partMemoryBytes: number;
  /** Loaded processes that wait for a part to die. */
  readonly standIns: number;
}

/**
 * One part per core, at least two. Together they may hold half of the machine's memory; each at
 * least 256 MB and at most 2 GB. Spec silent.
 * @throws GatewayError INVALID_CONFIGURATION
 */
export function readPartSettings(env: NodeJS.ProcessEnv): PartSettings {
  const cores = Math.min(PARTS_MAX, Math.max(PARTS_MIN, availableParallelism()));
  const parts = whole('RELAY_PARTS', env, { fallback: cores, min: 1, max: PARTS_MAX });
  const share = Math.floor(machineMemory() / 2 / parts / BYTES_PER_MB);
  const memory = whole('RELAY_PART_MEMORY_MB', env, {
    fallback: Math.min(MEMORY_MAX_MB, Math.max(MEMORY_MIN_MB, share)),
    min: MEMORY_MIN_MB,
    max: MEMORY_ASKED_MAX_MB,
  });
  const standIns = whole('RELAY_STAND_INS', env, {
    fallback: STAND_INS_DEFAULT,
    min: 0,
    max: STAND_INS_MAX,
  });
  return { parts, partMemoryBytes: memory * BYTES_PER_MB, standIns };
}

/** `DRAIN_S` in milliseconds. @throws GatewayError INVALID_CONFIGURATION */
export function readDrainMs(env: NodeJS.ProcessEnv): number {
  return whole('DRAIN_S', env, { fallback: DRAIN_DEFAULT_S, min: 0, max: DRAIN_MAX_S }) * 1000;
}

/** A container may have less than the machine it is on. */
function machineMemory(): number {
  const bound = process.constrainedMemory();
  return bound > 0 ? Math.min(bound, totalmem()) : totalmem();
}

interface NumberBounds {
  readonly fallback: number;
  readonly min: number;
  readonly max: number;
}

function whole(name: string, env: NodeJS.ProcessEnv, { fallback, min, max }: NumberBounds): number {
  const text = env[name] || String(fallback);
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw new GatewayError(
    'INVALID_CONFIGURATION',
    `${name} must be a whole number from ${min} to ${max}, not ${text}`,
  );
}
