/** Ends a test run in which nothing happens any more, and names what it waits for. */
import { writeFileSync } from 'node:fs';
import type { Reporter, TestModule } from 'vitest/node';

/** Longer than any test may take, with all hooks around it. */
const SILENCE_MS = 480_000;
/** Within which all lets go once every file has ended: runtimes and servers stop. */
const END_MS = 120_000;
/** How many of the files that ended last are named: one of them may be what does not let go. */
const NAMED = 8;

/** What a file came to, as vitest's JSON reporter reports it. */
interface FileResult {
  readonly name: string;
  readonly status: string;
  readonly message: string;
  readonly assertionResults: readonly {
    readonly fullName: string;
    readonly status: string;
    readonly failureMessages: readonly string[];
  }[];
}

/**
 * A reporter that speaks only when no test file and no test has reported for eight minutes, or when
 * all files have ended and the run does not: then it writes the report in the run's place.
 */
export class Stall implements Reporter {
  readonly #report: string | undefined;
  readonly #underWay = new Set<string>();
  readonly #results: FileResult[] = [];
  #files = 0;
  #ended: readonly string[] = [];
  #endedFiles = 0;
  #timer: NodeJS.Timeout | undefined;

  /** @param report where `npm test` reads the result */
  constructor(report: string | undefined) {
    this.#report = report;
  }

  onTestRunStart(files: readonly unknown[]): void {
    this.#files = files.length;
    this.#wait();
  }

  onTestModuleStart({ relativeModuleId }: TestModule): void {
    this.#underWay.add(relativeModuleId);
    this.#wait();
  }

  onTestCaseResult(): void {
    this.#wait();
  }

  onHookEnd(): void {
    this.#wait();
  }

  onTestModuleEnd(module: TestModule): void {
    this.#underWay.delete(module.relativeModuleId);
    this.#ended = [...this.#ended, module.relativeModuleId].slice(-NAMED);
    this.#endedFiles += 1;
    this.#results.push(resultOf(module));
    this.#wait();
  }

  onTestRunEnd(): void {
    clearTimeout(this.#timer);
  }

  #wait(): void {
    clearTimeout(this.#timer);
    const isOver = this.#files > 0 && this.#endedFiles >= this.#files;
    this.#timer = setTimeout(() => this.#end(isOver), isOver ? END_MS : SILENCE_MS).unref();
  }

  #end(isOver: boolean): void {
    const last = `Last to end: ${this.#ended.join(', ')}.`;
    if (isOver) {
      console.error(`All files have ended, and the run does not: it is ended. ${last}`);
      const report = { testResults: this.#results };
      if (this.#report !== undefined) writeFileSync(this.#report, JSON.stringify(report));
      process.exit(this.#results.some(({ status }) => status === 'failed') ? 1 : 0);
    }
    const underWay = [...this.#underWay].join(', ') || 'none';
    const minutes = SILENCE_MS / 60_000;
    console.error(
      `No test has reported for ${minutes} minutes: the run is ended. Files under way: ${underWay}. ${last}`,
    );
    process.exit(1);
  }
}

function resultOf(module: TestModule): FileResult {
  const tests = [...module.children.allTests()];
  return {
    name: module.moduleId,
    status: module.state(),
    message: module.errors()[0]?.message ?? '',
    assertionResults: tests.map((each) => ({
      fullName: each.fullName,
      status: each.result().state,
      failureMessages: (each.result().errors ?? []).map(({ message }) => message),
    })),
  };
}
