import { Link, Outlet } from '@tanstack/react-router'
import { useSession } from '@/api/session'
import { SignOutButton } from './SignOutButton'
import { ThemeSwitch } from './ThemeSwitch'
import { Toasts } from '@/components/feedback/Toast'

const SCREENS = [
  { to: '/', label: 'Changes' },
  { to: '/sources', label: 'Sources' },
  { to: '/errors', label: 'Errors' },
  { to: '/manifests', label: 'Manifests' },
  { to: '/corpus', label: 'Corpus' },
  { to: '/control', label: 'Control' },
] as const

/** What stands around every screen. */
export function Shell() {
  return (
    <>
      <a href="#main" className="sr-only focus:not-sr-only focus:fixed focus:start-2 focus:top-2 focus:z-50 focus:rounded-md focus:bg-card focus:px-3 focus:py-2">
        Skip to content
      </a>
      <header className="border-b bg-card">
        <div className="mx-auto flex max-w-[100rem] flex-wrap items-center gap-x-5 gap-y-2 px-4 py-2">
          <Link to="/" className="font-semibold tracking-tight">
            RORI<span className="max-md:hidden"> Collector</span>
          </Link>
          <Navigation />
          <Account />
        </div>
      </header>
      <main id="main" tabIndex={-1} className="mx-auto max-w-[100rem] px-4 py-5">
        <Outlet />
      </main>
      <Toasts />
    </>
  )
}

function Navigation() {
  return (
    <nav aria-label="Main" className="order-last w-full md:order-none md:w-auto">
      <ul className="flex flex-wrap text-sm max-md:justify-between md:gap-1">
        {SCREENS.map(({ to, label }) => (
          <li key={to}>
            <Link
              to={to}
              activeOptions={{ exact: to === '/', includeSearch: false }}
              className="inline-block rounded-md px-1 py-1.5 max-md:text-[0.8rem] md:px-2.5 hover:bg-raised aria-[current=page]:bg-raised aria-[current=page]:font-semibold"
            >
              {label}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}

function Account() {
  const { user, role } = useSession()
  return (
    <div className="ms-auto flex items-center gap-3 text-sm">
      <Link to="/search" activeOptions={{ includeSearch: false }} className="rounded px-1 hover:underline aria-[current=page]:font-semibold">
        Search
      </Link>
      <span className="max-md:hidden">
        <ThemeSwitch />
      </span>
      <Link to="/account" className="rounded px-1 hover:underline [overflow-wrap:anywhere]">
        {user} <span className="text-quiet max-md:hidden">({role})</span>
      </Link>
      <SignOutButton />
    </div>
  )
}
