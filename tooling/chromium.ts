/** A Chromium for tests that look at pages: one that the environment names, else one that is installed. */
import { existsSync } from 'node:fs';
import { Failure } from '../server/failure.ts';

const VARIABLE = 'TEST_CHROMIUM';

/** Where systems put it, or a browser made of it. */
const PLACES = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/**
 * The program's path.
 * @throws Failure saying how to get one
 */
export function findChromium(): string {
  const named = process.env[VARIABLE];
  const found = named || PLACES.find((place) => existsSync(place));
  if (found !== undefined) return found;
  throw new Failure(
    `Chromium is not installed: on Debian, run tooling/get-chromium.sh. Or name one with ${VARIABLE}.`,
  );
}
