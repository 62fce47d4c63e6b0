/** What holds at the server holds behind PgBouncer in transaction mode as well; what cannot be asked there is named. */
import { afterEach, beforeEach, describe, expect, type TestContext, test } from 'vitest';
import { backend } from '../../../test/servers/backends.ts';
import { ABSENT_BEHIND_POOLER } from './test/absent-behind-pooler.ts';
import { POOLER } from './test/database.ts';

// The tests below open their sessions by this way.
process.env[POOLER] = (await backend('postgres-pgbouncer')).url;

/** Read once the test has run, so that it may still be said. */
interface Marked {
  fails?: boolean;
}

/** Of named tests, those that there are. */
const seen = new Set<string>();

function nameOf({ task }: TestContext): string {
  const names = [task.name];
  for (let { suite } = task; suite; suite = suite.suite) names.unshift(suite.name);
  return names.slice(1).join(' > ');
}

function entryFor(context: TestContext): string | undefined {
  const name = nameOf(context);
  return Object.keys(ABSENT_BEHIND_POOLER).find((each) => name.startsWith(each));
}

describe('behind PgBouncer', async () => {
  beforeEach((context) => {
    const entry = entryFor(context);
    if (entry === undefined) return;
    seen.add(entry);
    // That it passes after all fails.
    (context.task as Marked).fails = true;
  });
  afterEach(({ task }) => {
    const errors = JSON.stringify(task.result?.errors ?? []);
    // Failing for another reason is failing.
    if (
      task.result?.state === 'fail' &&
      !/NOT_SUPPORTED|behind a pooler|A pooler in transaction mode/.test(errors)
    ) {
      (task as Marked).fails = false;
    }
  });

  await import('./contract.test.ts');
  await import('./guard.test.ts');
  await import('./state.test.ts');
  await import('./reset.test.ts');
  await import('./write.test.ts');
  await import('./types.test.ts');
  await import('./transact.test.ts');
  await import('./stream.test.ts');
  await import('./inspect.test.ts');
  await import('./faults.test.ts');
  await import('./message-cutter.test.ts');
  await import('./tls.test.ts');

  test('every absence that is named is one', () => {
    expect(Object.keys(ABSENT_BEHIND_POOLER).filter((each) => !seen.has(each))).toEqual([]);
  });
});
