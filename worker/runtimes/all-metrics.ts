/** Metrics of several runtimes as one text: each series says of which it is. */

/** Metrics of one runtime; its name is a label's value. */
export interface NamedMetrics {
  readonly name: string;
  readonly text: string;
}

/** A series: its name, its labels without braces where it has any, and its value. */
const SERIES = /^([\w:]+)(?:\{(.*)\})? (\S+)$/;

/**
 * Metrics in the order of the first text, with the label `runtime`. What sums counters over runtimes would fall
 * when one starts anew; a series of its own begins again, as its readers expect.
 * @param all texts of the same program
 */
export function allMetrics(all: readonly NamedMetrics[]): string {
  /** Series by the two lines that say what their metric is. */
  const metrics = new Map<string, string[]>();
  for (const { name, text } of all) {
    let help = '';
    let series: string[] = [];
    for (const line of text.split('\n')) {
      if (line.startsWith('# HELP ')) help = line;
      else if (line.startsWith('# TYPE ')) series = listed(metrics, `${help}\n${line}`);
      else if (line !== '') series.push(labelled(line, name));
    }
  }
  const lines = [...metrics].flatMap(([head, series]) => [head, ...series]);
  return `${lines.join('\n')}\n`;
}

function listed(metrics: Map<string, string[]>, head: string): string[] {
  const known = metrics.get(head) ?? [];
  metrics.set(head, known);
  return known;
}

function labelled(line: string, runtime: string): string {
  const [, name, labels, value] = SERIES.exec(line) ?? [];
  if (name === undefined) return line;
  const all = [`runtime="${runtime}"`, ...(labels ? [labels] : [])];
  return `${name}{${all.join()}} ${value}`;
}
