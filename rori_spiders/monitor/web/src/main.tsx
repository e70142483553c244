import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { queryClient } from './api/queryClient'
import { applyTheme } from './components/layout/ThemeSwitch'
import { router } from './router'
import './style.css'

applyTheme()
// The other screens are there before they are wanted, also when the monitor is away by then; the first one goes first.
function fetchScreens() {
  if (queryClient.getQueryCache().getAll().length === 0 || queryClient.isFetching()) setTimeout(fetchScreens, 200)
  else requestIdleCallback(() => Object.values(router.routesById).forEach((route) => void router.loadRouteChunk(route)))
}
addEventListener('load', () => setTimeout(fetchScreens, 200))
const root = document.getElementById('root')
if (root) {
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </StrictMode>,
  )
}
