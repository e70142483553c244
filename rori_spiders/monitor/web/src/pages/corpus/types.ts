import type { Schemas } from '@/api/types'

export type Domain = Schemas['CorpusDomain']
export type Run = Schemas['CorpusRun']
export type RunDetail = Schemas['CorpusRunDetail']
export type Counts = Schemas['CorpusCounts']
export type Version = Schemas['CorpusVersion']
export type PageRow = Schemas['CorpusPageRow']
export type PageDetail = Schemas['CorpusPage']
