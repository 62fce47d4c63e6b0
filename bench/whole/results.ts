/** `bench/RESULTS.md`: what a whole run has found. */
import { type Finding, median, meets } from '../report.ts';
import type { Outcome } from './measure.ts';

/** Where and when it was measured. */
export interface Machine {
  /** ISO 8601, the day. */
  readonly day: string;
  readonly commit: string;
  readonly processor: string;
  readonly processors: number;
  readonly memoryGiB: number;
  readonly system: string;
  /** Before the first measurement: of a quiet machine next to 0. */
  readonly load: number;
  /** Program and version. */
  readonly versions: Readonly<Record<string, string>>;
}

/** Above this load the machine was doing other things as well. */
const BUSY_LOAD = 0.5;

/** The page. */
export function resultsPage(machine: Machine, outcomes: readonly Outcome[]): string {
  const seconds = outcomes.reduce((sum, each) => sum + each.seconds, 0);
  return `# Results

Made by \`npm run bench\`; not written by hand. Each line is of one thing: the median of its rounds, with the least and the most; most are
ratios to a baseline of the same run. A bar is what the median has to reach.

${machineText(machine)}

${summary(outcomes)} It took ${(seconds / 60).toFixed(0)} minutes.
${outcomes.map(section).join('')}`;
}

function machineText(machine: Machine): string {
  const { day, commit, processor, processors, memoryGiB, system, load } = machine;
  const versions = Object.entries(machine.versions).map(([name, version]) => `${name} ${version}`);
  const busy =
    load > BUSY_LOAD
      ? `\n\n**The machine was busy: its load was ${load.toFixed(1)} before the first measurement.** Ratios waver, and times are too long.`
      : '';
  return `${day}, commit ${commit}. ${processors} × ${processor}, ${memoryGiB.toFixed(0)} GiB, ${system}; the load generator, the databases and
all that is measured share it. ${versions.join(', ')}.${busy}`;
}

function summary(outcomes: readonly Outcome[]): string {
  const all = outcomes.flatMap(({ findings }) => findings);
  const barred = all.filter(hasBar);
  const missed = barred.filter((each) => !meets(each)).length;
  const failed = outcomes.filter(({ failure }) => failure !== undefined).length;
  const whole =
    failed === 0 ? '' : ` ${failed} of ${outcomes.length} measurements did not end well.`;
  return `**${missed} of ${barred.length} bars are missed.**${whole}`;
}

function section({ name, flags, seconds, findings, failure }: Outcome): string {
  const command = ['npm run bench --', name, ...flags].join(' ');
  const rows = findings.map(row).join('\n');
  const table =
    rows === ''
      ? ''
      : `\n| what | median | least | most | rounds | bar | |\n|---|---|---|---|---|---|---|\n${rows}\n`;
  const failed =
    failure === undefined ? '' : `\n**Not measured to its end here:** ${inText(failure)}\n`;
  return `\n## ${name}\n\n\`${command}\`, ${seconds.toFixed(0)} s.\n${failed}${table}`;
}

function row(finding: Finding): string {
  const { what, values } = finding;
  const missed = hasBar(finding) && !meets(finding) ? '**missed**' : '';
  if (finding.unit === 'holds') {
    return `| ${inText(what)} | ${missed === '' ? 'holds' : 'does not hold'} | | | | holds | ${missed} |`;
  }
  const cells = [median(values), Math.min(...values), Math.max(...values)].map((value) =>
    amount(value, finding.unit),
  );
  return `| ${inText(what)} | ${cells.join(' | ')} | ${values.length} | ${bar(finding)} | ${missed} |`;
}

function hasBar({ atLeast, atMost }: Finding): boolean {
  return atLeast !== undefined || atMost !== undefined;
}

function bar({ atLeast, atMost, unit }: Finding): string {
  if (atLeast !== undefined) return `at least ${amount(atLeast, unit)}`;
  return atMost === undefined ? '' : `at most ${amount(atMost, unit)}`;
}

function amount(value: number, unit: string): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  const text = Number.isInteger(value) && unit !== '' ? String(value) : value.toFixed(digits);
  return unit === '' ? text : `${text} ${unit}`;
}

/** What may stand in a cell. */
function inText(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll(/\s+/g, ' ');
}
