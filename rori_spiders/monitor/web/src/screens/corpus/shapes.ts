import type { schemas } from '@/api/shapes'

export type Domain = schemas['CorpusDomain']
export type Run = schemas['CorpusRun']
export type RunDetail = schemas['CorpusRunDetail']
export type Counts = schemas['CorpusCounts']
export type Version = schemas['CorpusVersion']
export type PageRow = schemas['CorpusPageRow']
export type PageDetail = schemas['CorpusPage']
