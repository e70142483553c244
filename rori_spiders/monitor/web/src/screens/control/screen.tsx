import { useSession } from '@/api/session'
import { Heading } from '@/parts/heading'
import { Deeds } from './deeds'
import { Pausing } from './pausing'
import { Queue } from './queue'
import { RunForm } from './running'

export function Control() {
  const { operator_may: may } = useSession()
  return (
    <>
      <Heading title="Control" />
      {!may && (
        <p className="mb-4 rounded-md border bg-raised px-3 py-2 text-sm">
          You are a viewer: you see what runs and who did what, but only operators run, pause and cancel. An operator can change your role with scrapy monitor users
          role.
        </p>
      )}
      <Pausing may={may} />
      {may && <RunForm />}
      <Queue may={may} />
      <Deeds />
    </>
  )
}
