let program = 'scrapy'

/** Note how the monitor was started, `scrapy` or `rori`: commands are typed so there. */
export function setProgram(name: string) {
  program = name
}

/** A command of the collector, as it is typed where the monitor runs. */
export function command(rest: string) {
  return `${program} ${rest}`
}
