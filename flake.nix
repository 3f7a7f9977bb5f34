{
  description = "Command-line administration of an assessment service";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs =
    { self, nixpkgs }:
    let
      systems = [
        "x86_64-linux"
        "aarch64-linux"
        "aarch64-darwin"
      ];
      manifest = (builtins.fromTOML (builtins.readFile ./Cargo.toml)).package;
      package =
        pkgs:
        pkgs.rustPlatform.buildRustPackage {
          pname = manifest.name;
          version = manifest.version;
          src = self;
          cargoLock.lockFile = ./Cargo.lock;
          nativeBuildInputs = [ pkgs.installShellFiles ];
          # The tests start servers and terminals, which a build of a package may not: they run in .ci/run.
          doCheck = false;
          cargoBuildFlags = [ "-p" manifest.name ];
          postInstall = ''
            installShellCompletion completions/assessctl.bash completions/assessctl.fish completions/_assessctl
            mkdir pages
            $out/bin/assessctl man --to pages
            installManPage pages/*
          '';
          meta = {
            description = manifest.description;
            license = with pkgs.lib.licenses; [
              mit
              asl20
            ];
            mainProgram = manifest.name;
          };
        };
    in
    {
      packages = nixpkgs.lib.genAttrs systems (system: {
        default = package nixpkgs.legacyPackages.${system};
      });
    };
}
