import { useSession } from '@/api/session'
import { Heading } from '@/parts/heading'
import { OnlyLooks } from '@/parts/onlylooks'
import { Deeds } from './deeds'
import { Pausing } from './pausing'
import { Queue } from './queue'
import { RunForm } from './running'

export function Control() {
  const { operator_may: may } = useSession()
  return (
    <>
      <Heading title="Control" />
      {!may && <OnlyLooks>you see what runs and who did what, but only operators run, pause and cancel.</OnlyLooks>}
      <Pausing may={may} />
      {may && <RunForm />}
      <Queue may={may} />
      <Deeds />
    </>
  )
}
