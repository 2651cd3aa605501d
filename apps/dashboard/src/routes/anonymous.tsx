import { createRoute } from '@tanstack/react-router'
import { LoginPage } from '../pages/anonymous/login.tsx'
import { anonymousPage, root } from './frame.tsx'

/** Pages before a login. */
export const anonymousRoutes = [
  // Where most who have not logged in are led: its code comes with the first scripts, not in a request that
  // follows.
  createRoute({ getParentRoute: () => root, path: '/login', component: LoginPage }),
  anonymousPage('/register', () => import('../pages/anonymous/register.tsx'), 'RegisterPage'),
  anonymousPage(
    '/verify-email',
    () => import('../pages/anonymous/verify-email.tsx'),
    'VerifyEmailPage',
  ),
  anonymousPage(
    '/forgot-password',
    () => import('../pages/anonymous/forgot-password.tsx'),
    'ForgotPasswordPage',
  ),
  anonymousPage(
    '/reset-password',
    () => import('../pages/anonymous/reset-password.tsx'),
    'ResetPasswordPage',
  ),
  anonymousPage(
    '/change-email',
    () => import('../pages/anonymous/change-email.tsx'),
    'ChangeEmailPage',
  ),
  anonymousPage(
    '/keep-factor',
    () => import('../pages/anonymous/keep-factor.tsx'),
    'KeepFactorPage',
  ),
  anonymousPage('/invitation', () => import('../pages/anonymous/invitation.tsx'), 'InvitationPage'),
] as const
