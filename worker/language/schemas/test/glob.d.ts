/** Many files at once: what the test runner's bundler adds to modules. */
interface ImportMeta {
  /** The texts of all files that match, by their paths. */
  glob(
    pattern: string,
    options: { readonly query: '?raw'; readonly import: 'default'; readonly eager: true },
  ): Record<string, string>;
}
